import { Badge, Button, Group, NavLink, Stack, Text, Title } from '@mantine/core';
import { TbChevronRight, TbUsers } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { QueryView } from '../../../ui/query-view.js';
import { Section } from '../../../ui/section.js';
import { familiesQuery } from '../queries.js';
import { DeletedChildren } from './deleted-children.js';
import { OwnJoinRequests } from './own-join-requests.js';

/** The families of the person. */
export function FamilyPage() {
  const { t } = useTranslation('family');
  return (
    <Stack maw={720}>
      <Title order={1}>{t('title')}</Title>
      <Families />
      <DeletedChildren />
      <OwnJoinRequests />
    </Stack>
  );
}

function Families() {
  const { t } = useTranslation('family');
  const families = useQuery(familiesQuery(useSession()));
  return (
    <Section title={t('families')}>
      <QueryView query={families}>
        {({ items }) => (
          <Stack gap={0}>
            {items.length === 0 && <Text c="dimmed">{t('noFamily')}</Text>}
            {items.map(({ familyId, name, role }) => (
              <NavLink
                key={familyId}
                h={56}
                label={name}
                leftSection={<TbUsers aria-hidden />}
                rightSection={
                  <Group gap="xs" wrap="nowrap">
                    <Badge variant="light" tt="none" size="lg">
                      {t(`role${role}`)}
                    </Badge>
                    <TbChevronRight size={18} className="mantine-rotate-rtl" aria-hidden />
                  </Group>
                }
                renderRoot={(props) => <Link {...props} to="/family/$familyId" params={{ familyId }} />}
              />
            ))}
          </Stack>
        )}
      </QueryView>
      <Button renderRoot={(props) => <Link {...props} to="/family/join" />} variant="light">
        {t('join')}
      </Button>
    </Section>
  );
}
