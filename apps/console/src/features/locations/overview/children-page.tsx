import type { Schema } from '@family-watch/client';
import { Button, Flex, Group, Stack, Text, Title } from '@mantine/core';
import { TbPlus } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { QueryView } from '../../../ui/query-view.js';
import { ChildCard } from '../../families/children/child-card.js';
import { childrenQuery, CONTACT, familiesQuery, watchesQuery } from '../../families/queries.js';
import { ChildrenMap } from './children-map.js';
import { PlaceInWords } from './place-in-words.js';

/**
 * With more children, the page shows no places, each of which would need two more requests, and no buttons, which would
 * need the conversations and the permissions of the person.
 */
const MAX_CHILDREN_WITH_DETAILS = 4;

interface ChildrenPageProps {
  /** What a person sees who may only chat with the children and call them. */
  contactChildren: ReactNode;
  /** The buttons below the name of a child. */
  actionsOf: (child: Schema<'ChildDto'>) => ReactNode;
}

/** All children at a glance. */
export function ChildrenPage({ contactChildren, actionsOf }: ChildrenPageProps) {
  const { t } = useTranslation('overview');
  const { t: tChild } = useTranslation('children');
  const session = useSession();
  const children = useQuery(childrenQuery(session));
  const { data: watches } = useQuery(watchesQuery(session));
  const hasChildren = children.data && children.data.childList.length > 0;
  const families = useQuery({ ...familiesQuery(session), enabled: hasChildren === false });
  const isParent = hasChildren || families.data?.items.some(({ role }) => role !== CONTACT);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{t('title')}</Title>
        {isParent && (
          <Button
            renderRoot={(props) => <Link {...props} to="/children/add" />}
            variant="light"
            leftSection={<TbPlus aria-hidden />}
          >
            {tChild('add')}
          </Button>
        )}
      </Group>
      <QueryView query={children}>
        {({ childList }) => {
          if (childList.length === 0) return <NoChildren contactChildren={contactChildren} />;
          const hasDetails = childList.length <= MAX_CHILDREN_WITH_DETAILS;
          return (
            <Flex direction={{ base: 'column', md: 'row' }} gap="md" align={{ md: 'start' }}>
              {childList.some(({ lastLocation }) => lastLocation !== null) && (
                <ChildrenMap childList={childList} hasPlaces={hasDetails} />
              )}
              <Stack w={{ base: '100%', md: 400 }}>
                {childList.map((child) => (
                  <ChildCard
                    key={child.cid}
                    child={child}
                    actions={hasDetails && actionsOf(child)}
                    place={
                      hasDetails && child.lastLocation && <PlaceInWords cid={child.cid} location={child.lastLocation} />
                    }
                    watch={watches?.items.find(({ did }) => did === child.device?.did)}
                  />
                ))}
              </Stack>
            </Flex>
          );
        }}
      </QueryView>
    </Stack>
  );
}

/** A person without a family begins with the first visit. */
function NoChildren({ contactChildren }: { contactChildren: ReactNode }) {
  const { t } = useTranslation('overview');
  const families = useQuery(familiesQuery(useSession()));
  return (
    <QueryView query={families}>
      {({ items }) => {
        if (items.length === 0) return <Navigate to="/welcome" replace />;
        return (
          <Stack maw={720}>
            {items.every(({ role }) => role === CONTACT) ? (
              <Text c="dimmed">{t('contactHint')}</Text>
            ) : (
              <Stack align="center" py="xl">
                <Text size="xl">{t('empty')}</Text>
                <Text c="dimmed">{t('emptyHint')}</Text>
              </Stack>
            )}
            {contactChildren}
          </Stack>
        );
      }}
    </QueryView>
  );
}
