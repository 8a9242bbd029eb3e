/* Comparison of doubles; cmocka 1.1.5 has only floats. */
#ifndef CDMPP_TESTS_UNIT_NEAR_H
#define CDMPP_TESTS_UNIT_NEAR_H

#include <math.h>
#include <stdio.h>

/* |left - right| <= tolerance; says both numbers when it does not hold. */
#define assert_near(left, right, tolerance)                                                        \
    do {                                                                                           \
        double near_left = (left);                                                                 \
        double near_right = (right);                                                               \
        if (!(fabs(near_left - near_right) <= (tolerance)))                                        \
            print_error("%.17g is not %.17g\n", near_left, near_right);                            \
        assert_true(fabs(near_left - near_right) <= (tolerance));                                  \
    } while (0)

#endif
