/* Which of the three sets a program is in. Normalisers, label transform, early stopping and the
 * calibration of intervals never see CDM_SPLIT_TEST.
 *
 * The rule needs nothing but names, so it is the same for every dataset and on every machine. With
 * h(x) = the first 8 hexadecimal digits of SHA-1(x), modulo 100:
 *
 *   h("split:" + task) >= 90         test, all programs of the task: "unseen task"
 *   h("split:" + task) in 80 .. 89   validation, all programs of the task
 *   else h("prog:" + program) >= 95  test: "seen task", an unseen schedule of a trained task
 *        h("prog:" + program) >= 90  validation
 *        else                        train
 *
 * A program is in one set, on all devices. */
#ifndef CDMPP_DATA_SPLIT_H
#define CDMPP_DATA_SPLIT_H

#include "cdmpp/core/str.h"

#include <stdbool.h>

enum cdm_split { CDM_SPLIT_TRAIN, CDM_SPLIT_VALIDATION, CDM_SPLIT_TEST, CDM_SPLIT_NONE };

/* The set of a program. *unseen_task tells whether the whole task is outside the training set. */
enum cdm_split cdm_split_of(struct cdm_view task, struct cdm_view program, bool *unseen_task);

#endif
