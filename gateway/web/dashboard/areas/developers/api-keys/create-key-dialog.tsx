// Makes an API key in the environment that the dashboard shows.
import { Button, Checkbox, Modal, Stack, TagsInput, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { FIRST_FIELD } from '@dashboard/shared/forms/first-field.js';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { SecondFactorHint } from '@dashboard/shared/second-factor/second-factor-hint.js';
import { useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import type { NewApiKey } from './key-columns.js';

const MAX_NAME = 100;
const MAX_ADDRESSES = 20;
const SCOPES = ['read', 'write', 'payouts'] as const;
type Scope = (typeof SCOPES)[number];

interface KeyForm {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly allowed_addresses: readonly string[];
}

interface CreateKeyDialogProps {
  readonly onMade: (key: NewApiKey) => void;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ onMade, onClose }: CreateKeyDialogProps): ReactNode {
  const texts = useTexts(DEVELOPERS_TEXTS);
  const { close } = useTexts(SHARED_TEXTS);
  const stepUp = useStepUp();
  const environment = useEnvironment();
  const form = useForm<KeyForm>({
    initialValues: { name: '', scopes: ['read', 'write'], allowed_addresses: [] },
    validate: {
      scopes: (scopes) => (scopes.length === 0 ? texts.keys.scopeNeeded : null),
    },
  });
  const send = ({ name, scopes, allowed_addresses: addresses }: KeyForm) =>
    stepUp((code) =>
      unwrap(
        api.POST('/v1/merchants/me/api-keys', {
          body: {
            environment,
            ...(name.trim() === '' ? {} : { name: name.trim() }),
            ...{ scopes: [...scopes], allowed_addresses: [...addresses] },
            ...(code === undefined ? {} : { totp_code: code }),
          },
        }),
      ),
    );
  const { submit, isSending, error } = useFormRequest({ form, send, onDone: onMade });
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.keys.createIn(environment)}
      closeButtonProps={{ 'aria-label': close }}
    >
      <form onSubmit={submit}>
        <Stack>
          <KeyFields form={form} />
          {error !== null && <ApiErrorView error={error} />}
          <Button type="submit" loading={isSending}>
            {texts.keys.create}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

function KeyFields({ form }: { readonly form: UseFormReturnType<KeyForm> }): ReactNode {
  const { keys } = useTexts(DEVELOPERS_TEXTS);
  const { user } = useSession();
  const environment = useEnvironment();
  const { scopes, allowed_addresses: addresses } = form.values;
  const offered = SCOPES.filter((scope) => scope !== 'payouts' || user.role === 'owner');
  return (
    <>
      <TextInput
        label={keys.name}
        description={keys.nameHelp}
        maxLength={MAX_NAME}
        {...FIRST_FIELD}
        {...form.getInputProps('name')}
      />
      <Checkbox.Group
        label={keys.scopes}
        value={[...scopes]}
        error={form.errors['scopes']}
        onChange={(chosen) => {
          form.setFieldValue('scopes', chosen);
        }}
      >
        <Stack gap="xs" mt="xs">
          {offered.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={keys.scopeNames[scope]}
              description={keys.scopeHelp[scope]}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <TagsInput
        label={keys.addresses}
        description={keys.addressesHelp}
        maxTags={MAX_ADDRESSES}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        value={[...addresses]}
        error={form.errors['allowed_addresses']}
        onChange={(list) => {
          form.setFieldValue('allowed_addresses', list);
        }}
      />
      {(environment === 'LIVE' || scopes.includes('payouts')) && <SecondFactorHint />}
    </>
  );
}
