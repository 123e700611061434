/** A customer of a portal that sells through Stripe, whose answers each test gives. */
import { expect } from 'vitest';
import { readConfig } from '../../../edge/config.ts';
import { createPortal } from '../../../edge/portal/index.ts';
import { connect } from '../../../edge/services.ts';
import { type Customer, completeSignUp, newCustomer, signUp } from '../portal/customer.ts';
import { bindings } from '../support/service.ts';

const SELLER = {
  SELLER_NAME: 'Packshot Ltd',
  SELLER_ADDRESS: '1 Example Street, Dublin',
  SELLER_TAX_ID: 'IE1234567X',
};
const portal = createPortal(
  { ...bindings, ...SELLER, STRIPE_SECRET_KEY: 'sk_test_of_stripe' },
  connect(bindings, readConfig(bindings)).flows,
);

export const buyer = async (): Promise<Customer> => {
  const customer = newCustomer(undefined, undefined, (request) => portal.fetch(request));
  await signUp(customer);
  expect((await completeSignUp(customer)).status).toBe(200);
  return customer;
};
