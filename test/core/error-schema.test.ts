// The error body of the API: all of its fields, with their types.
import { Value } from '@sinclair/typebox/value';
import t from 'tap';
import { ErrorSchema } from '#actors/core/schemas/fields.js';

const error = {
  type: 'invalid_request',
  code: 'amount_invalid',
  message: 'amount must be a string of digits, in minor units.',
  param: 'amount',
  request_id: 'req_1',
  doc_url: 'https://api.example.com/docs/errors#amount_invalid',
};

t.test('the error schema accepts the documented body and rejects other types', (t) => {
  t.ok(Value.Check(ErrorSchema, { error }));
  t.ok(Value.Check(ErrorSchema, { error: { ...error, param: null } }));
  t.notOk(Value.Check(ErrorSchema, { error: { ...error, code: undefined } }));
  t.notOk(Value.Check(ErrorSchema, { error: { ...error, param: 7 } }));
  t.end();
});
