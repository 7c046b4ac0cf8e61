/** SVG to PNG, by resvg as WebAssembly: no browser, no program of the machine, and the fonts of the shop. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

const require = createRequire(import.meta.url)
const fontFiles = [
  '@expo-google-fonts/onest/400Regular/Onest_400Regular.ttf',
  '@expo-google-fonts/onest/600SemiBold/Onest_600SemiBold.ttf',
] as const

let loading: Promise<Uint8Array[]> | undefined
/** The fonts; the program is loaded with them once in the life of a process. */
const prepared = (): Promise<Uint8Array[]> =>
  (loading ??= (async () => {
    const read = async (name: string) => new Uint8Array(await readFile(require.resolve(name)))
    await initWasm(await read('@resvg/resvg-wasm/index_bg.wasm'))
    return Promise.all(fontFiles.map(read))
  })())

export async function renderPng(svg: string): Promise<Buffer> {
  const fontBuffers = await prepared()
  const resvg = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: 'Onest', loadSystemFonts: false } })
  try {
    const image = resvg.render()
    try {
      return Buffer.from(image.asPng())
    } finally {
      image.free()
    }
  } finally {
    resvg.free()
  }
}
