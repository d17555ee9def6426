// An address of the web. It breaks between its parts before it breaks inside one, and before its table scrolls.
import { Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import classes from './parts.module.css';

/** Each part begins with the sign before it: `https`, `://shop`, `.example`, `:8080`, `/hook`. */
const PARTS = /(?<![:/])(?=[/.:?&])/;

export function Address({ url }: { readonly url: string }): ReactNode {
  return (
    <span className={classes.address}>
      {url.split(PARTS).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}

/** In a row of deliveries: the type of the event above the address that it goes to. */
export function EventTo({ type, url }: { readonly type: string; readonly url: string }): ReactNode {
  return (
    <>
      {type}
      <Text size="xs" c="dimmed" component="div">
        <Address url={url} />
      </Text>
    </>
  );
}
