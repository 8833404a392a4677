"""Numbers as the report writes them in sentences."""

from decimal import Decimal


def level(x):
    """3e-2, 1.7e-3, 1e0."""
    sign, digits, exponent = Decimal(repr(float(x))).as_tuple()
    digits = "".join(map(str, digits)).lstrip("0")
    exponent += len(digits) - 1
    digits = digits.rstrip("0")
    return ("-" if sign else "") + digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{exponent}"


def number(x):
    """One power of ten below 1e-2 and from 1e6 on, plain between."""
    if x == 0:
        return "0"
    if abs(x) < 1e-2 or abs(x) >= 1e6:
        return level(x)
    text = format(Decimal(repr(float(x))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
