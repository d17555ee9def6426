// The error body of every answer of 400 and above. Source: the API contract, section 1.
import { type Static, Type } from '@sinclair/typebox';
import { nullable } from './fields.js';

export const ErrorSchema = Type.Object(
  {
    error: Type.Object({
      type: Type.String({ description: 'The class of the error.', examples: ['invalid_request'] }),
      code: Type.String({ description: 'What programs look at.', examples: ['amount_invalid'] }),
      message: Type.String({ description: 'What people read.' }),
      param: nullable(Type.String({ description: 'The field at fault.' })),
      request_id: Type.String({ examples: ['req_…'] }),
      doc_url: Type.String(),
      payment_id: Type.Optional(Type.String({ description: 'The payment that this is about.' })),
      payout_id: Type.Optional(Type.String({ description: 'The payout that this is about.' })),
    }),
  },
  { description: 'An error.' },
);
export type ErrorBody = Static<typeof ErrorSchema>;
