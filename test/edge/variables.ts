import { signingKey } from '../support/service-keys.ts';

/** The Worker's variables in the tests that run it alone. */
export const testVariables = {
  ENVIRONMENT: 'local',
  PUBLIC_BASE_URL: 'http://127.0.0.1:8787',
  ORIGIN_URLS: 'http://127.0.0.1:8790',
  SERVICE_SIGNING_KEY: JSON.stringify(signingKey),
  DOWNLOAD_SIGNING_SECRET: 'local-download-secret-0123456789abcdef',
  R2_S3_ENDPOINT: 'http://127.0.0.1:8787/cdn-cgi/local/r2/s3',
  R2_BUCKET_NAME: 'packshot',
  R2_ACCESS_KEY_ID: 'local-access-key',
  R2_SECRET_ACCESS_KEY: 'local-secret-key',
  LOCAL_ADMIN_TOKEN: 'local-admin-token-0123456789abcdef',
  LOCAL_INPUT_HOSTS: '',
  AUTH_SECRET: 'local-auth-secret-0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_local-stripe-secret-0123456789abcdef',
} as const;
