/** What the fields of a response mean, where uploads and batches share them. */
import { limits } from '../../../shared/limits.ts';
import type { FieldNotes } from './fields.tsx';

export const responseNotes: FieldNotes = {
  processed_count: 'Images delivered. Only these are charged.',
  cost_usd: 'The charge for this request.',
  remaining_api_credits_usd: 'Balance after this request.',
  results: 'One per file, in the order sent.',
  request_id: 'Also in the Request-Id header. Quote it when you ask for help.',
  batch_id: 'Use it with the status endpoint to get fresh URLs.',
};
export const resultNotes: FieldNotes = {
  original_name: 'File name as uploaded.',
  clean_url: 'The finished image: a plain download link, no key needed.',
  width: `Of the file, px; with a test key at most ${limits.testResult.sideMax}.`,
  height: `Of the file, px; with a test key at most ${limits.testResult.sideMax}.`,
  format: 'Format of the finished file.',
  amazon_compliant:
    'Whether the finished file meets Amazon’s rules and this service’s own figures, as measured: fill within half a percent of 85 %, centred, no shadow, a longer side of at least 1,000 px. Stricter than `compliance` for amazon. With a test key, of the full-size file.',
  batch_id: 'Batch the image belongs to.',
  image_id: 'Identifier of this image.',
  preview_url: `A small version, at most ${limits.preview.sideMax} px.`,
  product_box: 'Where the product is in the output, px; with a test key, in the full-size one.',
  processing_ms: 'Time spent on this image, whole ms.',
  compliance:
    'The rules of the marketplace, each with the value measured on the finished file; with a test key, on the full-size one.',
  outputs: 'With marketplaces: the file of each, with its own link, size and report; the first is the result itself.',
  findings: 'What was found about the photo that was sent; see Checks and findings.',
  review: 'The verdict: ready, needs_a_look or retake, with reasons; see The verdict.',
  matte_confidence: 'How sure the cut-out is, 0 to 1; below 0.9 look at the result.',
  error: 'Why this image failed: code and detail, and what to do where a finding ended it.',
};
