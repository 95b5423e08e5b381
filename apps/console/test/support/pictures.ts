import sharp from 'sharp';

/** Returns a picture of about 3 bytes per pixel, because noise cannot be compressed. */
export function noisyPicture(width: number, height: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  return sharp({ create: { width, height, channels: 3, background: 'black', noise } })
    .png()
    .toBuffer();
}

/** Returns a drawn landscape. Landscapes with other numbers have other colours. */
export function landscape(number: number): Promise<Buffer> {
  const hue = (number * 47) % 360;
  const sun = 120 + ((number * 131) % 700);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="640">
    <rect width="960" height="640" fill="hsl(${(hue + 200) % 360} 60% 75%)"/>
    <circle cx="${sun}" cy="150" r="70" fill="hsl(45 90% 70%)"/>
    <path d="M0 420 L220 ${220 + (number % 4) * 30} L430 400 L640 ${180 + (number % 5) * 30} L960 430 V640 H0Z" fill="hsl(${hue} 35% 45%)"/>
    <path d="M0 500 Q480 ${420 + (number % 3) * 40} 960 500 V640 H0Z" fill="hsl(${(hue + 90) % 360} 40% 40%)"/>
  </svg>`;
  return sharp(Buffer.from(svg)).jpeg().toBuffer();
}
