// The samples that Xendit's dashboard sends when an address is tested and saved. They carry the account's own token and are
// those of the documentation: always the same reference, or a business that does not exist. The documented sample of a refund
// is wrapped twice.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

const SAMPLE_BUSINESS = 'sample_business_id';
const SAMPLE_REFERENCES: ReadonlySet<unknown> = new Set([
  // Payment status, payment request status and payment token status of the Payments API v3.
  '90392f42-d98a-49ef-a7f3-90392f42d98a',
  // Of the documentation: payments, refunds, payouts.
  'example_reference_id',
  'b2756a1e-e6cd-4352-9a68-0483aa2b6a2',
  'myref-1482928194',
]);

const Reference = Type.Object({ reference_id: Type.Optional(Type.Unknown()) });
const Sample = TypeCompiler.Compile(
  Type.Object({
    business_id: Type.Optional(Type.Unknown()),
    data: Type.Intersect([Reference, Type.Object({ data: Type.Optional(Reference) })]),
  }),
);

/** The token was compared before. */
export function isTestWebhook(body: unknown): boolean {
  if (!Sample.Check(body)) return false;
  const { business_id: business, data } = body;
  const references = [data.reference_id, data.data?.reference_id];
  return business === SAMPLE_BUSINESS || references.some((one) => SAMPLE_REFERENCES.has(one));
}
