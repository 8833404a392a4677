#include <gtest/gtest.h>

#include "gpt/numerics.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  sweep::set_up_numerics();
  return RUN_ALL_TESTS();
}
