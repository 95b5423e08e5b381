import { MAP_SERVICES, mapLinksOf } from '@family-watch/client';
import { Button, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { TbCheck, TbCopy, TbExternalLink } from 'react-icons/tb';
import { useTranslation } from 'react-i18next';

/** Above the alarm of an SOS. */
const Z_INDEX = 1_100;

/** Lets the person choose where to open a location. A `geo:` link would do nothing in most browsers. */
export function OpenInMap({ location }: { location: { latitude: string; longitude: string } }) {
  const { t } = useTranslation('map');
  const clipboard = useClipboard();
  const links = mapLinksOf(location);
  return (
    <Menu
      zIndex={Z_INDEX}
      position="bottom-start"
      // It has a focus of its own, which a menu may not contain.
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Button variant="light" leftSection={<TbExternalLink aria-hidden />}>
          {t('openInMap')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {MAP_SERVICES.map((service) => (
          <Menu.Item key={service} component="a" href={links[service]} target="_blank" rel="noreferrer">
            {t(service)}
          </Menu.Item>
        ))}
        <Menu.Item
          closeMenuOnClick={false}
          leftSection={clipboard.copied ? <TbCheck aria-hidden /> : <TbCopy aria-hidden />}
          onClick={() => clipboard.copy(`${location.latitude}, ${location.longitude}`)}
        >
          {t(clipboard.copied ? 'copied' : 'copyCoordinates')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
