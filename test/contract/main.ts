/**
 * `npm run test:contract`: the OpenAPI document by a strict linter, the running edge by a fuzzer that knows the
 * document, and the code samples of the documentation, run as they are printed. What needs a registry that is not
 * reached is skipped with a line that says so.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openapiDocument } from '../../edge/http/openapi.ts';
import { freePort, temporarySystem } from '../support/local-system.ts';
import { whyNoPython } from '../support/python.ts';
import { newSteps } from '../support/steps.ts';
import { runAgain } from './again.ts';
import { fuzz, installLinter, lint } from './openapi.ts';
import { runSamples } from './samples.ts';

const { step, skip, end } = newSteps();
const folder = await mkdtemp(join(tmpdir(), 'packshot-contract-'));
const noPython = await whyNoPython();

if (await installLinter(folder))
  await step('Redocly finds nothing in the OpenAPI document, by its strictest rules', () =>
    lint(folder, openapiDocument('https://packshot.example')),
  );
else skip('the linter of the OpenAPI document', 'the npm registry is not reached');

const edgePort = await freePort();
const system = await temporarySystem({
  credits: 100_000,
  edgePort,
  // The samples' own photo is served by the edge itself.
  env: { LOCAL_INPUT_HOSTS: `127.0.0.1:${edgePort}` },
});
try {
  await step('the code samples of the documentation do what the page says, run as printed', () =>
    runSamples(folder, system, noPython),
  );
  await step("the log's code for running a request again makes its images, as shown", () =>
    runAgain(folder, system, noPython),
  );
  if (noPython) skip('Schemathesis', noPython);
  else await step('Schemathesis finds nothing at the running edge', () => fuzz(folder, system));
} finally {
  await system.remove();
  await rm(folder, { recursive: true, force: true });
}
end('Document, edge and samples agree.');
