// Answers that hold several objects. Source: the API contract, section 1.
import { type TSchema, Type } from '@sinclair/typebox';
import { nullable } from './fields.js';

/** Newest first. With filters a page can hold fewer rows than asked for, though there are more. */
export const listOf = <Item extends TSchema>(item: Item) =>
  Type.Object(
    {
      data: Type.Array(item),
      next_cursor: nullable(
        Type.String({
          description:
            'For the next page; null: this is the last. A page of a filtered list may hold fewer rows than ' +
            'its limit, even none: only null ends the list.',
        }),
      ),
    },
    { additionalProperties: false, description: 'A page of a list.' },
  );

/** A list that is always shown whole. */
export const wholeListOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ data: Type.Array(item) }, { additionalProperties: false });
