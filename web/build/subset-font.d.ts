/** What the build uses of a library without types. */
declare module 'subset-font' {
  interface Options {
    keepAllGlyphs: true
    keepFeatures: readonly string[]
    variationAxes: Readonly<Record<string, { min: number; max: number }>>
    targetFormat: 'woff2'
  }
  export default function subsetFont(font: Buffer, text: undefined, options: Options): Promise<Buffer>
}
