// A form of the merchant's settings. Everybody reads it; those who may change settings save it.
import { Alert, Button, Fieldset, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { type Change, changeSettings } from './settings-query.js';
import { SETTINGS_TEXTS } from './texts.js';

interface SettingsFormProps<Values> {
  readonly form: UseFormReturnType<Values>;
  readonly buildChange: (values: Values) => Change;
  /** Told when they are saved. */
  readonly saved: string;
  readonly children: ReactNode;
}

export function SettingsForm<Values extends object>(props: SettingsFormProps<Values>): ReactNode {
  const { form, buildChange, saved, children } = props;
  const texts = useTexts(SETTINGS_TEXTS);
  const mayChange = useCan()('change_settings');
  const stepUp = useStepUp();
  const { submit, isSending, error } = useFormRequest({
    form,
    send: (values: Values) => changeSettings(stepUp, buildChange(values)),
    onDone: () => {
      notifications.show({ message: saved });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Fieldset variant="unstyled" disabled={!mayChange}>
        <Stack maw={640}>
          {!mayChange && <Alert color="gray">{texts.ownersOnly}</Alert>}
          {children}
          {error !== null && <ApiErrorView error={error} />}
          {mayChange && (
            <div>
              <Button type="submit" loading={isSending}>
                {texts.save}
              </Button>
            </div>
          )}
        </Stack>
      </Fieldset>
    </form>
  );
}
