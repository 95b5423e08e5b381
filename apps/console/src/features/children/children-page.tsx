import { Box, Button, Flex, Group, Stack, Text, Title } from '@mantine/core';
import { TbPlus } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { QueryView } from '../../ui/query-view.js';
import { familiesQuery } from '../family/queries.js';
import { ChildCard } from './child-card.js';
import { ChildrenMap } from './children-map.js';
import { childrenQuery, watchesQuery } from './queries.js';
import { texts } from './texts.js';

/** All children at a glance. */
export function ChildrenPage() {
  const t = useTexts(texts);
  const session = useSession();
  const children = useQuery(childrenQuery(session));
  const { data: watches } = useQuery(watchesQuery(session));
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{t('title')}</Title>
        <Button
          renderRoot={(props) => <Link {...props} to="/children/add" />}
          variant="light"
          leftSection={<TbPlus aria-hidden />}
        >
          {t('add')}
        </Button>
      </Group>
      <QueryView query={children}>
        {({ childList }) =>
          childList.length === 0 ? (
            <NoChildren />
          ) : (
            <Flex direction={{ base: 'column', md: 'row' }} gap="md" align={{ md: 'start' }}>
              {childList.some(({ lastLocation }) => lastLocation !== null) && (
                <Box flex={1} miw={0}>
                  <ChildrenMap childList={childList} />
                </Box>
              )}
              <Stack w={{ base: '100%', md: 400 }}>
                {childList.map((child) => (
                  <ChildCard
                    key={child.cid}
                    child={child}
                    watch={watches?.items.find(({ did }) => did === child.device?.did)}
                  />
                ))}
              </Stack>
            </Flex>
          )
        }
      </QueryView>
    </Stack>
  );
}

/** A person without a family begins with the first visit; another one sees that the family has no children. */
function NoChildren() {
  const t = useTexts(texts);
  const families = useQuery(familiesQuery(useSession()));
  return (
    <QueryView query={families}>
      {({ items }) =>
        items.length === 0 ? (
          <Navigate to="/welcome" replace />
        ) : (
          <Stack align="center" py="xl">
            <Text size="xl">{t('empty')}</Text>
            <Text c="dimmed">{t('emptyHint')}</Text>
          </Stack>
        )
      }
    </QueryView>
  );
}
