/** The first example of the Python client's README, as printed there. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const readmeExample = async (client: string): Promise<string> => {
  const [, example] = /```python\n([\s\S]*?)```/.exec(await readFile(join(client, 'README.md'), 'utf8')) ?? [];
  if (example === undefined) throw new Error('the README has no example in Python');
  return example;
};
