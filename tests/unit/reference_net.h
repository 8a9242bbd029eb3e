/* The network of models/torch/net.hpp once more, in plain double arithmetic: what the numbers must
 * be. */
#ifndef CDMPP_TESTS_UNIT_REFERENCE_NET_H
#define CDMPP_TESTS_UNIT_REFERENCE_NET_H

#include "models/model_file.h"

/* The label of one pair of the batch. `model` needs `net` and `weights` only. */
double reference_predict(const struct cdm_model *model, const struct cdm_torch_batch *batch,
                         int32_t pair);

#endif
