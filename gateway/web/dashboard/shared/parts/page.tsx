// The frame of a view: its title, which is also that of the browser tab, and its actions.
import { Alert, Group, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { type Permission, useCan } from '../session/session.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import classes from './parts.module.css';

interface PageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** Other roles read that they may not see the view, before they fill in what the API refuses. */
  readonly permission?: Permission;
  readonly children: ReactNode;
}

export function Page({ title, actions, permission, children }: PageProps): ReactNode {
  useDocumentTitle(title);
  const can = useCan();
  const mayUse = permission === undefined || can(permission);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="center" gap="sm">
        <Title order={1} size="h2" className={classes.title ?? ''}>
          {title}
        </Title>
        {actions !== undefined && mayUse && <Group gap="xs">{actions}</Group>}
      </Group>
      {mayUse ? children : <Forbidden />}
    </Stack>
  );
}

function Forbidden(): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  return (
    <Alert color="red" title={texts.forbiddenTitle} role="alert">
      {texts.forbiddenHelp}
    </Alert>
  );
}
