"""Golden values of the model, its gradients and three AdamW updates, in plain PyTorch, float64.

    gpt_oracle.py FILE           writes them
    gpt_oracle.py --check FILE   computes them anew and compares; exit 77 where torch is not there

Written from the formulas (docs/definitions.md) without a look at the C++ code. Weights and tokens
come from a small integer hash divided by a power of two, so that both sides have them exactly.
"""

import argparse
import json
import math
import sys

try:
    import torch
except ImportError:
    print("no torch for this Python: nothing compared")
    sys.exit(77)

MASK = 0xFFFFFFFF
VOCAB, CONTEXT, WIDTH, HEADS, LAYERS, BATCH = 7, 5, 8, 2, 2, 2
RATES = [0.01, 0.02, 0.015]  # of the three updates; the peak is 0.02
PEAK, DECAY, BETAS, EPS = 0.02, 0.1, (0.9, 0.95), 1e-8
VARIANTS = ["none", "rms_per_head", "ln_per_head", "rms_full", "l2_scalar", "rms_noaffine"]


def hash32(x):
    """The finaliser of MurmurHash3."""
    x &= MASK
    x ^= x >> 16
    x = (x * 0x85EBCA6B) & MASK
    x ^= x >> 13
    x = (x * 0xC2B2AE35) & MASK
    return x ^ (x >> 16)


def unit(stream, i):
    """The i-th number of a stream: a multiple of 2^-24 in [-1/2, 1/2)."""
    return (hash32(7919 * stream + i + 1) >> 8) / 2.0**24 - 0.5


def start(name, i, stream):
    """Gains are near 1, the learned scale near 3, everything else near 0."""
    value = unit(stream, i)
    if name.endswith("qk_scale"):
        return 3 + value
    if name.endswith(".weight") and ("ln_" in name or "norm" in name):
        return 1 + value / 2
    return value


def tokens(step):
    """Inputs and targets of an update, (B, T + 1) ids."""
    count = BATCH * (CONTEXT + 1)
    ids = [hash32(1000003 * (step + 1) + i) % VOCAB for i in range(count)]
    return torch.tensor(ids).view(BATCH, CONTEXT + 1)


def shapes(case):
    """(name, shape) in nanoGPT's order."""
    d = WIDTH
    yield "transformer.wte.weight", (VOCAB, d)
    yield "transformer.wpe.weight", (CONTEXT, d)

    def with_bias(name, *shape):
        yield name + ".weight", shape
        if case["bias"]:
            yield name + ".bias", shape[:1]

    gain = {"rms_per_head": d // HEADS, "ln_per_head": d // HEADS, "rms_full": d}
    for layer in range(LAYERS):
        h = f"transformer.h.{layer}"
        yield from with_bias(h + ".ln_1", d)
        yield from with_bias(h + ".attn.c_attn", 3 * d, d)
        yield from with_bias(h + ".attn.c_proj", d, d)
        if case["qk_norm"] in gain:
            yield h + ".attn.q_norm.weight", (gain[case["qk_norm"]],)
            yield h + ".attn.k_norm.weight", (gain[case["qk_norm"]],)
        if case["qk_norm"] == "l2_scalar":
            yield h + ".attn.qk_scale", ()
        yield from with_bias(h + ".ln_2", d)
        yield from with_bias(h + ".mlp.c_fc", 4 * d, d)
        yield from with_bias(h + ".mlp.c_proj", d, 4 * d)
    yield from with_bias("transformer.ln_f", d)
    if not case["tie_weights"]:
        yield "lm_head.weight", (VOCAB, d)


def make_weights(case):
    weights = {}
    for stream, (name, shape) in enumerate(shapes(case)):
        size = math.prod(shape)
        flat = torch.tensor([start(name, i, stream) for i in range(size)], dtype=torch.float64)
        weights[name] = flat.view(shape).requires_grad_()
    return weights


def centred(x, eps):
    x = x - x.mean(-1, keepdim=True)
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)


def over_rms(x):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6)


def over_length(x):
    return x / torch.clamp(torch.sqrt((x * x).sum(-1, keepdim=True)), min=1e-12)


def forward(weights, case, ids):
    """(B, T) ids -> (B, T, V) logits."""

    def affine(name, x):
        y = x @ weights[name + ".weight"].T
        return y + weights[name + ".bias"] if case["bias"] else y

    def norm(name, x):
        y = centred(x, 1e-5) * weights[name + ".weight"]
        return y + weights[name + ".bias"] if case["bias"] else y

    def heads(x):  # (B, T, d) -> (B, H, T, Dh)
        return x.reshape(BATCH, CONTEXT, HEADS, WIDTH // HEADS).permute(0, 2, 1, 3)

    def attention(name, x):
        q, k, v = affine(name + ".c_attn", x).chunk(3, dim=-1)
        kind = case["qk_norm"]
        if kind == "rms_full":
            q = over_rms(q) * weights[name + ".q_norm.weight"]
            k = over_rms(k) * weights[name + ".k_norm.weight"]
        q, k, v = heads(q), heads(k), heads(v)
        if kind == "rms_per_head":
            q = over_rms(q) * weights[name + ".q_norm.weight"]
            k = over_rms(k) * weights[name + ".k_norm.weight"]
        elif kind == "ln_per_head":
            q = centred(q, 1e-6) * weights[name + ".q_norm.weight"]
            k = centred(k, 1e-6) * weights[name + ".k_norm.weight"]
        elif kind == "rms_noaffine":
            q, k = over_rms(q), over_rms(k)
        elif kind == "l2_scalar":
            q, k = over_length(q), over_length(k)
        z = torch.einsum("bhid,bhjd->bhij", q, k)
        z = z * weights[name + ".qk_scale"] if kind == "l2_scalar" else z / math.sqrt(WIDTH // HEADS)
        future = torch.tensor([[j > i for j in range(CONTEXT)] for i in range(CONTEXT)])
        a = torch.softmax(z.masked_fill(future, -math.inf), dim=-1)
        mixed = torch.einsum("bhij,bhjd->bihd", a, v).reshape(BATCH, CONTEXT, WIDTH)
        return affine(name + ".c_proj", mixed)

    def mlp(name, x):
        x = affine(name + ".c_fc", x)
        return affine(name + ".c_proj", x * 0.5 * (1 + torch.erf(x / math.sqrt(2))))

    x = weights["transformer.wte.weight"][ids] + weights["transformer.wpe.weight"]
    for layer in range(LAYERS):
        h = f"transformer.h.{layer}"
        x = x + attention(h + ".attn", norm(h + ".ln_1", x))
        x = x + mlp(h + ".mlp", norm(h + ".ln_2", x))
    head = "transformer.wte.weight" if case["tie_weights"] else "lm_head.weight"
    return norm("transformer.ln_f", x) @ weights[head].T


def loss_of(logits, targets):
    log_p = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    return -log_p.gather(-1, targets[..., None]).mean()


def train(weights, case):
    """Three clipped AdamW updates in place; returns their losses and gradient norms."""
    independent = case["weight_decay_mode"] == "independent"
    decay = DECAY / PEAK if independent else DECAY  # PyTorch multiplies it by the rate
    matrices = [w for w in weights.values() if w.dim() >= 2]
    others = [w for w in weights.values() if w.dim() < 2]
    groups = [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=PEAK, betas=BETAS, eps=EPS, foreach=False)
    losses, norms = [], []
    for step, rate in enumerate(RATES):
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        batch = tokens(step)
        loss = loss_of(forward(weights, case, batch[:, :-1]), batch[:, 1:])
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(weights.values(), case["grad_clip"]).item())
        optimizer.step()
        losses.append(loss.item())
    return losses, norms


def digest(tensor, full):
    """All entries, or a hash-weighted sum and the sum of squares."""
    flat = tensor.detach().reshape(-1).tolist()
    if full:
        return flat
    return [math.fsum(x * unit(99, i) for i, x in enumerate(flat)), math.fsum(x * x for x in flat)]


def golden(case):
    full = case["name"] == "rms_per_head"
    weights = make_weights(case)
    batch = tokens(0)
    logits = forward(weights, case, batch[:, :-1])
    loss = loss_of(logits, batch[:, 1:])
    loss.backward()
    gradients = {name: digest(w.grad, full) for name, w in weights.items()}
    for w in weights.values():
        w.grad = None
    losses, norms = train(weights, case)
    return {
        **case,
        "full": full,
        "logits": logits.detach().reshape(-1).tolist(),
        "loss": loss.item(),
        "gradients": gradients,
        "losses": losses,
        "gradient_norms": norms,
        "updated": {name: digest(w, full) for name, w in weights.items()},
    }


def cases():
    base = {"bias": False, "tie_weights": True, "weight_decay_mode": "coupled", "grad_clip": 1.0}
    for variant in VARIANTS:
        yield {"name": variant, "qk_norm": variant, **base}
    yield {"name": "none_with_bias", "qk_norm": "none", **base, "bias": True}
    yield {"name": "ln_per_head_with_bias_untied", "qk_norm": "ln_per_head", **base, "bias": True,
           "tie_weights": False}
    yield {"name": "rms_full_independent_decay", "qk_norm": "rms_full", **base,
           "weight_decay_mode": "independent"}
    yield {"name": "none_never_clipped", "qk_norm": "none", **base, "grad_clip": 1e9}


def compute():
    torch.set_num_threads(1)
    sizes = {"vocab_size": VOCAB, "block_size": CONTEXT, "n_embd": WIDTH, "n_head": HEADS,
             "n_layer": LAYERS, "batch_size": BATCH}
    adamw = {"rates": RATES, "learning_rate": PEAK, "weight_decay": DECAY, "beta1": BETAS[0],
             "beta2": BETAS[1], "eps": EPS}
    return {"sizes": sizes, "adamw": adamw, "cases": [golden(case) for case in cases()]}


def differences(a, b, path=""):
    """Where two JSON values differ by more than rounding."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for key in a:
            yield from differences(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{path}[{i}]")
    elif isinstance(a, float) and isinstance(b, float):
        if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-10):
            yield f"{path}: {a!r} in the file, {b!r} now"
    elif a != b:
        yield f"{path}: {a!r} in the file, {b!r} now"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("file")
    args = parser.parse_args()
    values = compute()
    if args.check:
        with open(args.file, encoding="utf-8") as file:
            found = list(differences(json.load(file), values))
        print("\n".join(found[:20]) or f"{len(values['cases'])} cases agree with torch {torch.__version__}")
        return 1 if found else 0
    with open(args.file, "w", encoding="utf-8") as file:
        lines = [json.dumps(case, separators=(",", ":")) for case in values.pop("cases")]
        file.write(json.dumps(values)[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
