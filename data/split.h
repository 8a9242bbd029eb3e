/* Which of the three sets a measurement is in. Normalisers, label transform, early stopping and the
 * calibration of intervals never see CDM_SPLIT_TEST. */
#ifndef CDMPP_DATA_SPLIT_H
#define CDMPP_DATA_SPLIT_H

enum cdm_split { CDM_SPLIT_TRAIN, CDM_SPLIT_VALIDATION, CDM_SPLIT_TEST, CDM_SPLIT_NONE };

#endif
