#include <gtest/gtest.h>

#include <cmath>

#include "app/common/numbers.h"
#include "app/report/drawing/html.h"

namespace beatscan {
namespace {

TEST(ReportText, EscapesWhatMarkupIsMadeOf) {
  EXPECT_EQ(escaped("<img src=x onerror=alert('1')> & \"x\""),
            "&lt;img src=x onerror=alert(&#39;1&#39;)&gt; &amp; &quot;x&quot;");
  EXPECT_EQ(escaped("µV"), "µV");
  EXPECT_EQ(escaped("caf\xe9"), "caf\xef\xbf\xbd") << "as the name of a file in Latin-1";
  EXPECT_EQ(escaped("a\x01"
                    "b"),
            "a b");
}

TEST(ReportText, JsonCannotEndItsScriptElement) {
  EXPECT_EQ(script_safe("{\"a\":\"</script><!--\"}"), "{\"a\":\"\\u003c/script>\\u003c!--\"}");
}

TEST(ReportText, Base64AsInRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(ReportText, NumbersAsPeopleReadThem) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(-999), "-999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(1234, "beat") + ", " + grouped(1, "beat"), "1,234 beats, 1 beat");
  EXPECT_EQ(grouped(1, "beat is", "beats are") + ", " + grouped(1000, "beat is", "beats are"),
            "1 beat is, 1,000 beats are");
  EXPECT_EQ(fixed(-0.04, 1), "0.0");
  EXPECT_EQ(fixed(2.345, 1), "2.3");
  EXPECT_EQ(fixed(std::nan(""), 1), "–");
  EXPECT_EQ(signed_text("-1.5"), "−1.5");
}

TEST(ReportText, SharesKeepTheDigitThatDistinguishesThemFromNoneAndAll) {
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(1), "100 %");
  EXPECT_EQ(percent(0.1234), "12.3 %");
  EXPECT_EQ(percent(0.9978), "99.78 %");
  EXPECT_EQ(percent(0.00024), "0.024 %");
}

TEST(ReportText, Times) {
  EXPECT_EQ(clock_time(0), "0:00");
  EXPECT_EQ(clock_time(59.996, 2), "1:00.00");
  EXPECT_EQ(clock_time(3599.7), "1:00:00");
  EXPECT_EQ(clock_time(7509.5, 1), "2:05:09.5");
  EXPECT_EQ(clock_time(-1.25, 2), "−0:01.25");
  EXPECT_EQ(hours_minutes(7500), "2:05");
  EXPECT_EQ(duration(80000), "22 h 13 min");
  EXPECT_EQ(duration(1805.6), "30 min 6 s");
  EXPECT_EQ(duration(7200), "2 h");
  EXPECT_EQ(duration(5), "5 s");
  EXPECT_EQ(position_text(65, true), "1:05");
  EXPECT_EQ(position_text(65000, false), "sample 65,000");
}

}  // namespace
}  // namespace beatscan
