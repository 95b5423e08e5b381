import type { ConsentPurpose } from '@family-watch/domain/accounts/contracts/account';
import type { ConsentTextDto } from '@family-watch/domain/accounts/dto/consent.dto';

/** The text of each purpose. A change of a text needs a new version, for all languages. */
export const CONSENT_TEXTS: Readonly<Record<ConsentPurpose, ConsentTextDto>> = {
  POSITIONING: {
    version: 1,
    keeps:
      'Estimated locations of Wi-Fi access points and mobile cells that the watches of the children in your family ' +
      'observe. They are stored without a child, a watch or a family.',
    usedFor:
      'Locating watches without GPS, for all users of this service. If the operator has configured a positioning ' +
      'service, the networks that a watch observes are also sent to it to locate that watch.',
    retention:
      'Access points and cells that no watch has observed for a year are deleted; those observed by few watches after ' +
      '30 days. After a withdrawal, nothing more is stored or sent. What was stored before cannot be attributed to you ' +
      'and stays.',
    translations: [
      {
        language: 'zh-CN',
        keeps: '您家庭中孩子的手表观测到的 Wi-Fi 接入点和移动基站的估计位置。保存时不包含孩子、手表或家庭的信息。',
        usedFor:
          '为本服务的所有用户定位没有 GPS 信号的手表。如果运营者配置了定位服务，手表观测到的网络也会发送给该服务，以定位该手表。',
        retention:
          '一年内没有手表观测到的接入点和基站将被删除；只有少数手表观测到的，30 天后删除。撤回同意后，不再保存或发送任何内容。' +
          '撤回之前保存的内容无法与您关联，将继续保留。',
      },
    ],
  },
};
