/** low_confidence: the matte may be wrong; docs/model-card.md says how often. */
import type { Finding } from '../../findings.ts';
import type { Evidence } from './evidence.ts';
import { findingOf } from './finding.ts';

const CONFIDENCE_MIN = 0.5;

export const lowConfidence = ({ confidence, photo, product }: Evidence): Finding | undefined =>
  confidence >= CONFIDENCE_MIN
    ? undefined
    : findingOf(
        'low_confidence',
        {
          detail: product
            ? `It is not clear what the product is: confidence ${confidence.toFixed(2)}, below ${CONFIDENCE_MIN}`
            : 'No product was found in the photo',
          remedy: 'Look at the result, or take the photo again before a plain background of another colour.',
          box: product,
        },
        photo,
      );
