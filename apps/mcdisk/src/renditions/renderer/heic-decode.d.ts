declare module 'heic-decode' {
  interface DecodedImage {
    width: number;
    height: number;
    /** RGBA, eight bits each. */
    data: Uint8ClampedArray;
  }

  interface EncodedImage {
    width: number;
    height: number;
    decode(): Promise<DecodedImage>;
  }

  const decoder: {
    /** Reads the headers of all pictures in a file, and decodes no picture. */
    all(source: { buffer: Uint8Array }): Promise<EncodedImage[] & { dispose(): void }>;
  };
  export default decoder;
}
