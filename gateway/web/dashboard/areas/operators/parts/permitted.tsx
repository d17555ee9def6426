// Shows what changes something to the roles that may do it. The API decides again at each request.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Permission, useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { ADMIN_TEXTS } from './texts.js';

interface PermittedProps {
  readonly to: Permission;
  /** Other roles read nothing instead of a sentence. */
  readonly isQuiet?: boolean;
  readonly children: ReactNode;
}

export function Permitted({ to, isQuiet = false, children }: PermittedProps): ReactNode {
  const { otherRole } = useTexts(ADMIN_TEXTS);
  const can = useCan();
  if (can(to)) return children;
  return isQuiet ? null : <Text c="dimmed">{otherRole}</Text>;
}
