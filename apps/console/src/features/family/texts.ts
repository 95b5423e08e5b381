import { defineTexts } from '../../app/texts.js';

export const texts = defineTexts('family', {
  en: {
    title: 'Family',
    account: 'Your account',
    language: 'Language',
    colorScheme: 'Appearance',
    light: 'Light',
    dark: 'Dark',
    auto: 'As the device',
    signOut: 'Sign out',
  },
  'zh-CN': {
    title: '家庭',
    account: '我的账号',
    language: '语言',
    colorScheme: '外观',
    light: '浅色',
    dark: '深色',
    auto: '跟随设备',
    signOut: '退出登录',
  },
});
