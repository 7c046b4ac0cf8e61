/** Files of an archive (APPNOTE.TXT, 4.3), by its central directory. */
import { inflateRawSync } from 'node:zlib'

export function unzip(archive: Buffer): Map<string, string> {
  return new Map([...filesIn(archive)].map(([name, bytes]) => [name, bytes.toString('utf8')]))
}

export function filesIn(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf('PK\u0005\u0006', undefined, 'latin1')
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, packed] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)]
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ]
    const local = archive.readUInt32LE(at + 42)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const bytes = archive.subarray(begin, begin + packed)
    files.set(name, method === 0 ? bytes : inflateRawSync(bytes))
    at += 46 + nameLength + extra + comment
  }
  return files
}

/**
 * The cells of the first sheet, row by row: texts and numbers as the file has them, empty cells as ''. Fails
 * where a cell is a formula.
 */
export function cellsOf(workbook: Buffer): string[][] {
  const sheet = unzip(workbook).get('xl/worksheets/sheet1.xml') ?? ''
  if (/<f[ >/]/.test(sheet)) throw new Error('the sheet has a formula')
  return [...sheet.matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(([, row = '']) => {
    const cells: string[] = []
    for (const [, letters = '', cell = ''] of row.matchAll(/<c r="([A-Z]+)\d+"[^>]*?(?:\/>|>(.*?)<\/c>)/gs)) {
      const column = [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)
      while (cells.length < column - 1) cells.push('')
      cells.push(
        cell
          .replaceAll(/<[^>]*>/g, '')
          .replaceAll(/&(lt|gt|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&' })[name] ?? ''),
      )
    }
    return cells
  })
}
