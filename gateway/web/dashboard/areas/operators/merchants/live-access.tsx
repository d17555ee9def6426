// Switches LIVE on and off for a merchant.
import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { ConfirmByName } from '../parts/confirm-by-name.js';
import { Permitted } from '../parts/permitted.js';
import { buildMerchantKey } from './merchant.js';
import { MERCHANT_TEXTS } from './texts.js';

type Merchant = AdministratorSchema['Merchant'];

export function LiveAccess({ merchant }: { readonly merchant: Merchant }): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const queries = useQueryClient();
  /** Kept while the dialog is open: the answer changes `liveEnabled` before it closes. */
  const [asked, setAsked] = useState<'on' | 'off' | null>(null);
  const { id, liveEnabled: isLive, verificationStatus, business_name: name } = merchant;
  const change = async (): Promise<void> => {
    const request = { params: { path: { merchant_id: id } }, body: { enabled: asked === 'on' } };
    const changed = await unwrap(adminApi.POST('/v1/admin/merchants/{merchant_id}/live', request));
    queries.setQueryData(buildMerchantKey(id), changed);
    await queries.invalidateQueries({ queryKey: ['admin'] });
  };
  const dialog = {
    onClose: () => {
      setAsked(null);
    },
    onConfirm: change,
  };
  return (
    <Section
      title={texts.liveAccess}
      actions={
        <Group gap="xs">
          <StatusBadge
            status={isLive ? 'active' : 'disabled'}
            label={isLive ? texts.liveOn : texts.liveOff}
          />
          {verificationStatus === 'APPROVED' && (
            <Permitted to="review_merchants" isQuiet>
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  setAsked(isLive ? 'off' : 'on');
                }}
              >
                {isLive ? texts.switchOff : texts.switchOn}
              </Button>
            </Permitted>
          )}
        </Group>
      }
    >
      <Text size="sm">{isLive ? texts.liveHelpOn : texts.liveHelpOff}</Text>
      {asked === 'off' && (
        <ConfirmByName title={texts.switchOff} name={name} action={texts.switchOff} {...dialog}>
          <Text size="sm">{texts.switchOffHelp}</Text>
        </ConfirmByName>
      )}
      <ConfirmDialog
        title={texts.switchOn}
        action={texts.switchOn}
        isOpen={asked === 'on'}
        {...dialog}
      >
        <Text size="sm">{texts.switchOnHelp}</Text>
      </ConfirmDialog>
    </Section>
  );
}
