// Changes the environment in the address. An object exists in one environment only, so its view leads to the home page.
import { SegmentedControl } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  ENVIRONMENTS,
  readEnvironment,
  rememberEnvironment,
  useEnvironment,
} from '@dashboard/shared/session/environment.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import classes from './navigation/shell.module.css';
import { SHELL_TEXTS } from './navigation/texts.js';

export function EnvironmentSwitch(): ReactNode {
  const texts = useTexts(SHELL_TEXTS);
  const environment = useEnvironment();
  const navigate = useNavigate();
  const { user } = useSession();
  const choose = (chosen: string): void => {
    const { environment: known } = readEnvironment({ environment: chosen });
    if (known === undefined) return;
    rememberEnvironment(user.id, known);
    void navigate({ to: '/', search: { environment: known } });
  };
  return (
    <SegmentedControl
      size="xs"
      aria-label={texts.environment}
      data={[...ENVIRONMENTS]}
      value={environment}
      onChange={choose}
      color={environment === 'LIVE' ? 'var(--kasir-live)' : 'var(--kasir-test)'}
      autoContrast={false}
      classNames={{ label: classes.switch ?? '' }}
    />
  );
}
