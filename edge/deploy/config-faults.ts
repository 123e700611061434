/** What is unsafe in a deployment's wrangler file. What its variables say wrong, the Worker finds at its start. Pure. */

import { operatorFields } from '../../shared/operator.ts';

/** The part of wrangler's configuration that is looked at. */
export type DeploymentConfig = {
  readonly workers_dev?: boolean | undefined;
  readonly preview_urls?: boolean | undefined;
  readonly compatibility_flags: readonly string[];
  readonly vars: Readonly<Record<string, unknown>>;
  readonly d1_databases: readonly { readonly database_id?: string | undefined }[];
  readonly r2_buckets: readonly object[];
};

/** What `wrangler secret put` takes: in [vars] it would lie in the repository and the dashboard. */
const SECRET = /SECRET|SIGNING_KEY|ACCESS_KEY|API_KEY|TOKEN$|PASSWORD$/;
const LOCAL_DATABASE = '00000000-0000-0000-0000-000000000001';

/** What customers would find missing; nothing that makes a deployment unsafe. One text each. */
export const configWarnings = ({ vars }: Pick<DeploymentConfig, 'vars'>): readonly string[] =>
  Object.values(operatorFields)
    .filter(({ variable }) => !vars[variable])
    .map(({ variable, text }) => `${variable} is not set: /terms and /privacy say that the ${text} is missing`);

/** One text a fault. */
export const configFaults = (config: DeploymentConfig): readonly string[] => {
  const { vars, compatibility_flags, d1_databases, r2_buckets } = config;
  const fault = (isFault: boolean, text: string): string[] => (isFault ? [text] : []);
  return [
    ...fault(config.workers_dev !== false, 'workers_dev must be false: its address has none of our rules for traffic'),
    ...fault(config.preview_urls !== false, 'preview_urls must be false'),
    ...fault(
      !compatibility_flags.includes('global_fetch_strictly_public'),
      'compatibility_flags must have global_fetch_strictly_public',
    ),
    ...fault(vars['ENVIRONMENT'] !== 'production', 'ENVIRONMENT must be production'),
    ...Object.keys(vars)
      .filter((name) => SECRET.test(name))
      .map((name) => `${name} must be a secret, not in [vars]`),
    ...Object.entries(vars)
      .filter(([, value]) => /(^|,)\s*http:\/\//.test(String(value)))
      .map(([name]) => `${name} must be an https address`),
    ...fault(
      d1_databases.some(({ database_id }) => database_id === undefined || database_id === LOCAL_DATABASE),
      "a database_id is the local simulator's",
    ),
    ...fault(
      r2_buckets.some((bucket) => 'local_dev' in bucket && bucket.local_dev !== undefined),
      "an R2 bucket has the local simulator's credentials",
    ),
  ];
};
