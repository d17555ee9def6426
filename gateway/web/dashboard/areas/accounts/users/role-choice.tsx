// The choice of a role, with what each may do, and the reason when the person may not give it.
import { Alert, Anchor, Radio, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { hasSecondFactor, useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { findRole, MERCHANT_ROLES, type MerchantRole, needsFactor } from './requests.js';
import { TEAM_TEXTS } from './texts.js';

interface RoleChoiceProps {
  readonly value: MerchantRole;
  readonly onChange: (role: MerchantRole) => void;
}

/** False: the API would refuse the role, because the person has no second factor. */
export function useMayGive(): (role: MerchantRole) => boolean {
  const { user } = useSession();
  return (role) => hasSecondFactor(user) || !needsFactor(role);
}

export function RoleChoice({ value, onChange }: RoleChoiceProps): ReactNode {
  const texts = useTexts(TEAM_TEXTS);
  const mayGive = useMayGive();
  return (
    <>
      <Radio.Group
        label={texts.role}
        value={value}
        onChange={(role) => {
          onChange(findRole(role));
        }}
      >
        <Stack gap="sm" mt="xs">
          {MERCHANT_ROLES.map((role) => (
            <Radio
              key={role}
              value={role}
              label={texts.roles[role]}
              description={texts.rights[role]}
            />
          ))}
        </Stack>
      </Radio.Group>
      {!mayGive(value) && (
        <Alert color="yellow">
          {texts.needsFactor}{' '}
          <Anchor component={Link} to="/account" size="sm" underline="always">
            {texts.setUpFactor}
          </Anchor>
        </Alert>
      )}
    </>
  );
}
