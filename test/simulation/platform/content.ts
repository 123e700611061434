/** What stands for a file's content: files that are not told apart have the same. */
import { createHash } from 'node:crypto';

export const WRONG_CONTENT = 'another file';
export const digestOf = (content = 'a file'): Buffer => createHash('md5').update(content).digest();
