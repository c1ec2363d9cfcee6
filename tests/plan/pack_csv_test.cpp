// MiniMalloc's CSV form, and what hostile files get.
#include "plan/pack/csv.h"

#include <gtest/gtest.h>
#include <random>

namespace cutaway::plan {
namespace {

TEST(PackCsv, ReadsTheCommonForm) {
  const auto p = read_csv("id,lower,upper,size\nb1,0,3,4\n b2 ,3,9,4\r\n\n7,-5,21,0");
  ASSERT_TRUE(p.ok()) << p.error().str();
  ASSERT_EQ(p->buffers.size(), 3u);
  EXPECT_EQ(p->names, (std::vector<std::string>{"b1", "b2", "7"}));
  EXPECT_EQ(p->buffers[2].start, -5);
  EXPECT_EQ(p->buffers[2].end, 21);
  EXPECT_EQ(p->buffers[2].size, 0);
  EXPECT_EQ(p->buffers[2].alignment, 1);
}

TEST(PackCsv, EndIsInclusiveAndUpperIsNot) {
  EXPECT_EQ(read_csv("size,end,begin,buffer\n4,8,3,x\n")->buffers[0].end, 9);
  EXPECT_EQ(read_csv("size,upper,start,buffer_id\n4,8,3,x\n")->buffers[0].end, 8);
}

TEST(PackCsv, ReadsOptionalColumns) {
  const auto p = read_csv("\xEF\xBB\xBFid,lower,upper,size,alignment,hint,offset,gaps\n"
                          "a,0,9,8,4,12,,2-3 5-7@1:4\nb,0,9,8,,,,\nc,-9,9,8,0,,,-7--5\n");
  ASSERT_TRUE(p.ok()) << p.error().str();
  EXPECT_EQ(p->buffers[0].alignment, 4);
  EXPECT_EQ(p->buffers[1].alignment, 1);
  EXPECT_EQ(p->buffers[2].alignment, 1);
  ASSERT_EQ(p->idle.size(), 3u);
  EXPECT_EQ(p->idle[0].high, 0);
  EXPECT_EQ(p->idle[1].start, 5);
  EXPECT_EQ(p->idle[1].low, 1);
  EXPECT_EQ(p->idle[1].high, 4);
  EXPECT_EQ(p->idle[2].start, -7);
  EXPECT_EQ(p->idle[2].end, -5);
}

TEST(PackCsv, EveryFaultNamesItsLine) {
  struct Case {
    const char *text, *where, *what;
  };
  const Case cases[] = {
      {"", "", "empty"},
      {"\n\n", "", "empty"},
      {"id,lower,size\n", "line 1", "missing"},
      {"id,lower,upper,end,size\n", "line 1", "missing"},
      {"id,lower,upper,size,colour\n", "line 1", "colour"},
      {"id,lower,start,upper,size\n", "line 1", "twice"},
      {"id,lower,upper,size\na,0,1\n", "line 2", "3 cells"},
      {"id,lower,upper,size\na,0,1,2,3\n", "line 2", "5 cells"},
      {"id,lower,upper,size\na,0,1,2\na,0,1,2\n", "line 3", "line 2"},
      {"id,lower,upper,size\na,0,1,-2\n", "line 2", "negative"},
      {"id,lower,upper,size\na,0,1,2x\n", "line 2", "2x"},
      {"id,lower,upper,size\na,0,1,\n", "line 2", "no integer"},
      {"id,lower,upper,size\na,0,1,1e3\n", "line 2", "1e3"},
      {"id,lower,upper,size\na,0,1,99999999999999999999\n", "line 2", "9999"},
      {"id,lower,upper,size\na,5,1,2\n", "line 2", "before it starts"},
      {"id,lower,upper,size,alignment\na,0,1,2,-8\n", "line 2", "negative"},
      {"id,lower,upper,size,offset\na,0,1,2,0\n", "line 2", "fixed offset"},
      {"id,lower,upper,size,gaps\na,0,9,2,3\n", "line 2", "gap '3'"},
      {"id,lower,upper,size,gaps\na,0,9,2,3-20\n", "line 2", "outside"},
      {"id,lower,upper,size,gaps\na,0,9,2,3-4@0:3\n", "line 2", "outside"},
      {"id,lower,upper,size,gaps\na,0,9,2,3-4@0\n", "line 2", "form"},
      {"id,lower,upper,size,gaps\na,0,9,2,3-4@\n", "line 2", "form"},
      {"id,lower,upper,size,gaps\na,0,9,2,@\n", "line 2", "form"},
      {"id,lower,upper,size,gaps\na,0,9,2,5-6 3-4\n", "line 2", "order"},
  };
  for (const Case& c : cases) {
    const auto p = read_csv(c.text);
    ASSERT_FALSE(p.ok()) << c.text;
    EXPECT_EQ(p.error().where, c.where) << c.text;
    EXPECT_NE(p.error().what.find(c.what), std::string::npos) << c.text << p.error().what;
  }
  EXPECT_EQ(read_csv("id,lower,upper,size,offset\na,0,1,2,0\n").error().fault, Fault::unsupported);
  const auto wide = read_csv("id,lower,upper,size\na,0,1," + std::string(100'000, '\x01'));
  EXPECT_LT(wide.error().what.size(), 200u);
}

TEST(PackCsv, RandomDamageIsReadOrRefused) {
  const std::string good = "id,lower,upper,size,alignment,gaps\na,0,9,8,4,2-3 5-7@1:4\nb,1,9,80,,\nc,2,5,8,0,\n";
  const std::string pieces = "0123456789,-@: \n\rabidx\"\xff";
  std::mt19937 random(3);
  for (int round = 0; round < 50'000; ++round) {
    std::string text = good;
    for (int edits = 1 + int(random() % 4); edits-- > 0;) {
      const size_t at = random() % text.size();
      if (random() % 2)
        text[at] = pieces[random() % pieces.size()];
      else
        text.erase(at, 1 + random() % 5);
    }
    const auto p = read_csv(text);
    ASSERT_TRUE(!p.ok() || validate(*p).ok()) << text;
  }
}

} // namespace
} // namespace cutaway::plan
