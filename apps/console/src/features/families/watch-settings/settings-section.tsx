import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode, SubmitEventHandler } from 'react';
import { useTranslation } from 'react-i18next';
import { Section } from '../../../ui/section.js';
import { SettingsError } from './use-settings-change.js';

interface SettingsSectionProps {
  title: string;
  onSubmit: SubmitEventHandler<HTMLFormElement>;
  change: { error: unknown; isPending: boolean };
  /** Whether somebody else has changed the settings, so that saving replaces that change. */
  isStale: boolean;
  /** The stored state in words. */
  current: string;
  /** Buttons before the one that saves. */
  buttons?: ReactNode;
  isSaveDisabled?: boolean;
  children: ReactNode;
}

/** A section of a settings page that is saved by itself. */
export function SettingsSection(props: SettingsSectionProps) {
  const { title, onSubmit, change, isStale, current, buttons, isSaveDisabled, children } = props;
  const { t } = useTranslation('watchSettings');
  return (
    <Section title={title}>
      <form onSubmit={onSubmit}>
        <Stack>
          {children}
          <SettingsError error={change.error} current={current} />
          <Group>
            {buttons}
            <Button type="submit" disabled={isSaveDisabled} loading={change.isPending}>
              {t(isStale ? 'saveAnyway' : 'save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
