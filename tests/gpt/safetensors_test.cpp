#include "gpt/safetensors.h"

#include <gmock/gmock.h>

#include <cstring>

#include "sweep/base/error.h"
#include "sweep/base/random.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<float> kMatrix{1, 2, 3, 4, 5, 6};
const std::vector<double> kScalar{0.5};

template <typename T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string example_file() {
  const std::vector<TensorBytes> tensors{{"matrix", "F32", {2, 3}, bytes_of(kMatrix), nullptr},
                                         {"scalar", "F64", {}, bytes_of(kScalar), nullptr}};
  return write_safetensors(tensors, {{"step", "7"}});
}

/// A file with this header before `payload` zero bytes.
std::string file_with(const std::string& header, std::size_t payload) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + std::string(payload, '\0');
}

std::string complaint_about(const std::string& bytes) {
  try {
    static_cast<void>(parse_safetensors(bytes, "a.safetensors"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadInput);
    return error.what();
  }
  return "";
}

TEST(Safetensors, ReadsBackWhatItWrote) {
  const Safetensors file = parse_safetensors(example_file(), "a.safetensors");
  ASSERT_EQ(file.tensors.size(), 2U);
  const TensorBytes* const matrix = file.find("matrix");
  ASSERT_NE(matrix, nullptr);
  EXPECT_EQ(matrix->dtype, "F32");
  EXPECT_THAT(matrix->shape, ElementsAre(2, 3));
  EXPECT_EQ(matrix->bytes, bytes_of(kMatrix));
  EXPECT_EQ(file.find("scalar")->bytes, bytes_of(kScalar));
  EXPECT_EQ(file.metadata_value("step"), "7");
  EXPECT_EQ(file.find("vector"), nullptr);
  EXPECT_EQ(file.metadata_value("steps"), "");
}

TEST(Safetensors, StartsItsTensorsAtAMultipleOfEightBytes) {
  const std::string bytes = example_file();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(bytes[8], '{');
}

TEST(Safetensors, OfTheSameTensorsAreTheSameBytes) { EXPECT_EQ(example_file(), example_file()); }

TEST(Safetensors, KeepTensorsAliveThatWereCopiedOutOfThem) {
  TensorBytes matrix;
  {
    const Safetensors file = parse_safetensors(example_file(), "a.safetensors");
    matrix = *file.find("matrix");
  }
  EXPECT_EQ(matrix.bytes, bytes_of(kMatrix));
}

TEST(Safetensors, CutOffAnywhereAreRefusedWithTheirName) {
  const std::string whole = example_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(complaint_about(whole.substr(0, size)), HasSubstr("a.safetensors")) << size;
  }
  EXPECT_THAT(complaint_about(whole + "x"), HasSubstr("bytes follow the last tensor"));
}

TEST(Safetensors, WithTensorsThatOverlapOrLeaveAGapAreRefused) {
  const std::string a = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)";
  const std::string overlap = a + R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})";
  EXPECT_THAT(complaint_about(file_with(overlap, 6)), HasSubstr("overlap or leave a gap"));
  const std::string gap = a + R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})";
  EXPECT_THAT(complaint_about(file_with(gap, 12)), HasSubstr("overlap or leave a gap"));
  const std::string next = a + R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})";
  EXPECT_EQ(complaint_about(file_with(next, 8)), "");
}

struct BadHeader {
  const char* header;
  const char* complaint;
};

TEST(Safetensors, WithAHeaderThatDoesNotFitAreRefusedWithTheReason) {
  const BadHeader cases[] = {
      {"[]", "not a JSON object"},
      {"{", "not a JSON object"},
      {R"({"a":7})", "lacks dtype"},
      {R"({"a":{"dtype":"F32","shape":[1]}})", "lacks dtype"},
      {R"({"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", "neither F32 nor F64"},
      {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,8]}})", "not a count"},
      {R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,8]}})", "not a count"},
      {R"({"a":{"dtype":"F32","shape":["1"],"data_offsets":[0,8]}})", "not a count"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "larger than the file"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", "does not follow"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "beyond the end"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", "beyond the end"},
      {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}})",
       "larger than the file"},
      {R"({"__metadata__":{"step":7}})", "metadata value is not a text"},
      {R"({"__metadata__":[]})", "metadata is not an object"},
  };
  for (const auto& [header, complaint] : cases) {
    EXPECT_THAT(complaint_about(file_with(header, 8)), HasSubstr(complaint)) << header;
  }
}

TEST(Safetensors, WithDamagedBytesAreReadOrRefusedButNeverCrash) {
  const std::string whole = example_file();
  RandomStream stream(1, "damage");
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = whole;
    for (auto flips = 1 + stream.below(4); flips > 0; --flips) {
      damaged[stream.below(damaged.size())] = static_cast<char>(stream.next_u32());
    }
    if (stream.below(4) == 0) damaged.resize(stream.below(damaged.size()));
    try {
      const Safetensors file = parse_safetensors(damaged, "a.safetensors");
      std::size_t total = 0;
      for (const TensorBytes& tensor : file.tensors) total += tensor.bytes.size();
      EXPECT_LE(total, damaged.size());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadInput);
    }
  }
}

}  // namespace
}  // namespace sweep
