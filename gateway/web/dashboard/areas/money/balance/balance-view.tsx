// The balance and its statement.
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { downloadCsv } from '@dashboard/shared/api/client.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { readFirstDay, readLastDay, writeDay } from '@dashboard/shared/text/days.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../texts.js';
import { BalanceCards } from './balance-cards.js';
import { NewPayoutButton } from './new-payout-button.js';

export function BalanceView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  return (
    <Page title={texts.balance} actions={<NewPayoutButton />}>
      <BalanceCards />
      <Statement />
    </Page>
  );
}

/** The first day of this month, until today. */
function chooseMonth(): { from: string; to: string } {
  const now = new Date();
  return { from: writeDay(new Date(now.getFullYear(), now.getMonth(), 1)), to: writeDay(now) };
}

function Statement(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const environment = useEnvironment();
  const [days, setDays] = useState(chooseMonth);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      downloadCsv(
        '/v1/merchants/me/balance/statement',
        { environment, from: readFirstDay(days.from), to: readLastDay(days.to) },
        `statement-${days.from}-${days.to}.csv`,
      ),
  });
  return (
    <Section title={texts.statement}>
      <Text mb="md">{texts.statementHelp}</Text>
      <Group align="flex-end">
        <TextInput
          type="date"
          label={texts.from}
          value={days.from}
          onChange={(event) => {
            setDays({ ...days, from: event.currentTarget.value });
          }}
        />
        <TextInput
          type="date"
          label={texts.to}
          value={days.to}
          onChange={(event) => {
            setDays({ ...days, to: event.currentTarget.value });
          }}
        />
        <Button
          variant="default"
          loading={isPending}
          onClick={() => {
            mutate();
          }}
        >
          {texts.download}
        </Button>
      </Group>
      {error !== null && <ApiErrorView error={error} />}
    </Section>
  );
}
