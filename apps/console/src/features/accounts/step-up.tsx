import { ApiError, isRetryable, type Schema } from '@family-watch/client';
import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PasswordField } from '../../ui/password-field.js';
import { profileQuery } from './queries.js';
import { SmsCodeInput } from './sms-code-input.js';
import { useSmsCode } from './use-sms-code.js';

type StepUp = Schema<'StepUpDto'>;
type StepUpRequest<Result> = (stepUp?: StepUp) => Promise<Result>;
type WithStepUp = <Result>(request: StepUpRequest<Result>) => Promise<Result>;

/** A request that the service has rejected with STEP_UP_REQUIRED, until the person has confirmed or cancelled it. */
interface PendingRequest {
  readonly send: StepUpRequest<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly error: ApiError;
}

/** For this long, the page does not ask for the password again, which it keeps in memory. A code is valid once. */
const CONFIRMED_MS = 5 * 60_000;

const StepUpContext = createContext<WithStepUp | undefined>(undefined);

/**
 * Returns a function that sends a request and, if the service requires a step-up, opens the dialog and sends the request
 * again with the password or code. It rejects with STEP_UP_REQUIRED when the person closes the dialog.
 */
export function useStepUp(): WithStepUp {
  const withStepUp = useContext(StepUpContext);
  if (!withStepUp) throw new Error('useStepUp outside of StepUpProvider');
  return withStepUp;
}

export function StepUpProvider({ children }: { children: ReactNode }) {
  const [pending, setPending] = useState<PendingRequest>();
  const confirmed = useRef<{ password: string; until: number }>(undefined);
  const withStepUp = useCallback<WithStepUp>(async (send) => {
    const isConfirmed = confirmed.current !== undefined && Date.now() < confirmed.current.until;
    try {
      return await send(isConfirmed ? { password: confirmed.current?.password } : undefined);
    } catch (error) {
      if (!isStepUpRequired(error)) throw error;
      confirmed.current = undefined;
      return new Promise((resolve, reject) => {
        setPending({ send, resolve: resolve as (result: unknown) => void, reject, error });
      });
    }
  }, []);
  return (
    <StepUpContext value={withStepUp}>
      {children}
      {pending && (
        <StepUpDialog
          pending={pending}
          onPassword={(password) => (confirmed.current = { password, until: Date.now() + CONFIRMED_MS })}
          onEnd={() => setPending(undefined)}
        />
      )}
    </StepUpContext>
  );
}

interface StepUpDialogProps {
  pending: PendingRequest;
  /** Called with the password that the service has accepted. */
  onPassword: (password: string) => void;
  onEnd: () => void;
}

function StepUpDialog({ pending, onPassword, onEnd }: StepUpDialogProps) {
  const { t } = useTranslation('accounts');
  const session = useSession();
  const { data: profile } = useQuery(profileQuery(session));
  const [chosenMethod, setMethod] = useState<'password' | 'code'>();
  const method = chosenMethod ?? (profile?.hasPassword === false ? 'code' : 'password');
  const form = useForm({ initialValues: { password: '', code: '' } });
  const sms = useSmsCode('STEP_UP');
  const confirm = useMutation({
    mutationFn: ({ password, code }: { password: string; code: string }) =>
      pending.send(method === 'password' ? { password } : { challengeId: sms.challengeId, code }),
    onSuccess: (result, { password }) => {
      if (method === 'password') onPassword(password);
      pending.resolve(result);
      onEnd();
    },
    onError: (error) => {
      if (isStepUpRequired(error)) form.setErrors({ [method]: t(`${method}Wrong`) });
      if (isStepUpRequired(error) || isRetryable(error)) return;
      // The step-up was right; the form that sent the request shows what else is wrong.
      pending.reject(error);
      onEnd();
    },
  });
  const cancel = () => {
    pending.reject(pending.error);
    onEnd();
  };
  const error = isStepUpRequired(confirm.error) ? undefined : confirm.error;
  return (
    <Dialog opened onClose={cancel} title={t('stepUpTitle')} zIndex={300}>
      {/* The dialog may be rendered inside of another form's tree, whose submission it must not cause. */}
      <form
        onSubmit={(event) => {
          event.stopPropagation();
          form.onSubmit((values) => confirm.mutate(values))(event);
        }}
      >
        <Stack>
          <Text>{t('stepUpHint')}</Text>
          {profile?.hasPassword && (
            <SegmentedControl
              aria-label={t('stepUpMethod')}
              data={[
                { value: 'password', label: t('password') },
                { value: 'code', label: t('smsCode') },
              ]}
              value={method}
              onChange={(value) => {
                setMethod(value);
                confirm.reset();
                form.clearErrors();
              }}
            />
          )}
          {method === 'password' ? (
            <PasswordField
              label={t('password')}
              required
              data-autofocus
              autoComplete="current-password"
              {...form.getInputProps('password')}
            />
          ) : (
            <SmsCodeInput sms={sms} phone={profile} onError={() => undefined} inputProps={form.getInputProps('code')} />
          )}
          {method === 'code' && profile && !sms.request.isSuccess && (
            <Alert color="gray" variant="light">
              {t('codeGoesTo', { number: `${profile.areaCode} ${profile.phoneNumber}` })}
            </Alert>
          )}
          <ErrorAlert error={error ?? (method === 'code' ? sms.request.error : undefined)} />
          <Group justify="end">
            <Button variant="subtle" color="gray" onClick={cancel}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={confirm.isPending} disabled={method === 'code' && !sms.challengeId}>
              {t('confirm')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function isStepUpRequired(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'STEP_UP_REQUIRED';
}
