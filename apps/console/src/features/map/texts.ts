import { defineTexts } from '../../app/texts.js';

export const texts = defineTexts('map', {
  en: {
    loading: 'Loading the map',
    unavailable: 'This browser cannot show the map. The page says the same in words.',
    styleFailed: 'The map service does not answer. The map shows only the outlines of the continents.',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    attribution: 'Show the sources of the map',
    metres: 'm',
    kilometres: 'km',
  },
  'zh-CN': {
    loading: '正在加载地图',
    unavailable: '此浏览器无法显示地图，页面上有相同内容的文字。',
    styleFailed: '地图服务没有响应，地图只显示大陆轮廓。',
    zoomIn: '放大',
    zoomOut: '缩小',
    attribution: '显示地图来源',
    metres: '米',
    kilometres: '公里',
  },
});
