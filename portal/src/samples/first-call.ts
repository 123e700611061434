/** The first call, with a photo of ours: to be pasted as it is. */
import { paths } from '../../../shared/paths.ts';
import { origin } from './origin.ts';

export const firstCall = (key: string): string => `curl -sO ${origin()}/samples/mug.jpg
curl ${origin()}${paths.hero} \\
  -H "Authorization: Bearer ${key}" \\
  -F "files=@mug.jpg"`;
