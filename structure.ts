/**
 * Measures the structure of the production code and fails when a bound is broken: import circles, arrows
 * upward between folders, and the size of folders. `npm run structure` prints the figures; `npm run check`
 * runs it.
 *
 * Types count like values: a file that cannot be understood without another one depends on it.
 */

import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'

const roots = ['src', 'contract', 'web']

const bounds = {
  /** Circles of files within one folder, in the whole repository. */
  circles: 0,
  /** Of these, circles that cross folders. */
  circlesAcrossFolders: 0,
  arrowsUpward: 0,
  filesInAFolder: 25,
}

/** The files that each file imports, by their paths from the root of the repository. */
export type Imports = ReadonlyMap<string, readonly string[]>

/** The specifiers that a source text imports, types and dynamic imports included. */
export function specifiersIn(file: string, text: string): string[] {
  const { module } = parseSync(file, text)
  const requests = [
    ...module.staticImports.map((one) => one.moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map((one) => one.moduleRequest?.value)),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => literalIn(text.slice(start, end))),
  ]
  return requests.filter((request) => request !== undefined)
}

/** The text of a string literal; undefined for another expression. */
const literalIn = (source: string) => /^['"]([^'"]*)['"]$/.exec(source)?.[1]

const isProduction = (file: string) =>
  /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.d\.ts$|(?:^|\/)testing(?:\/|\.)/.test(file)

function* filesBelow(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const file = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(root, file)
    else if (isProduction(file)) yield file
  }
}

/** The file that a specifier names, when it is one of the repository. */
function resolve(
  specifier: string,
  importer: string,
  aliases: Readonly<Record<string, string>>,
): string | null {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(importer), specifier)
  for (const [alias, target] of Object.entries(aliases)) {
    const start = alias.replace(/\*$/, '')
    const isMatch = alias.endsWith('*') ? specifier.startsWith(start) : specifier === alias
    if (isMatch) return target.slice(2).replace('*', specifier.slice(start.length))
  }
  return null
}

/** Reads the imports of all production files of the repository. */
export function readImports(root: string): Imports {
  const { imports: aliases } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    imports: Record<string, string>
  }
  const files = new Set(roots.flatMap((folder) => [...filesBelow(root, folder)]))
  return new Map(
    [...files].map((file) => {
      const text = readFileSync(path.join(root, file), 'utf8')
      const targets = specifiersIn(file, text).map((specifier) => resolve(specifier, file, aliases))
      return [file, targets.filter((target) => target !== null && target !== file && files.has(target))]
    }) as [string, string[]][],
  )
}

/** The strongly connected components of more than one node (Tarjan). */
export function circlesOf(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const visit = (node: string): number => {
    const number = order.size
    order.set(node, number)
    lowest.set(node, number)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      const reached = order.has(next) ? (stack.includes(next) ? order.get(next) : number) : visit(next)
      lowest.set(node, Math.min(lowest.get(node) ?? 0, reached ?? 0))
    }
    if (lowest.get(node) === number) {
      const circle = stack.splice(stack.indexOf(node))
      if (circle.length > 1) circles.push(circle.toSorted())
    }
    return lowest.get(node) ?? 0
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return circles
}

/**
 * Files that gather what the folders beside them declare, and what is made of it: they stand above these
 * folders.
 */
const gathering: ReadonlySet<string> = new Set(
  [
    'wire',
    'contract',
    'refusals',
    'client',
    'page-renderer',
    ...['wire', 'contract', 'refusals', 'faults', 'client'].map((name) => `desk/${name}`),
  ].map((name) => `contract/${name}.ts`),
)

const folderOf = (file: string) =>
  gathering.has(file) ? `${path.posix.dirname(file)} (gathered)` : path.posix.dirname(file)

/** Imports between folders, by importing and imported folder. */
function foldersOf(imports: Imports): Map<string, Map<string, string[]>> {
  const folders = new Map<string, Map<string, string[]>>()
  for (const [file, targets] of imports) {
    const arrows = folders.get(folderOf(file)) ?? new Map<string, string[]>()
    folders.set(folderOf(file), arrows)
    for (const target of targets) {
      const folder = folderOf(target)
      if (folder === folderOf(file)) continue
      arrows.set(folder, [...(arrows.get(folder) ?? []), `${file} → ${target}`])
    }
  }
  return folders
}

/**
 * The imports that go upward: within each circle of folders, the folder with the smallest balance of imports
 * to and from the others of the circle is taken for the lowest, and its imports of them for the arrows
 * upward; then the next one.
 */
export function arrowsUpward(imports: Imports): string[] {
  const folders = foldersOf(imports)
  const upward: string[] = []
  for (const circle of circlesOf(new Map([...folders].map(([folder, arrows]) => [folder, arrows.keys()])))) {
    const left = new Set(circle)
    const between = (from: string, to: string) => folders.get(from)?.get(to) ?? []
    const balance = (folder: string) =>
      [...left].reduce((sum, other) => sum + between(folder, other).length - between(other, folder).length, 0)
    while (left.size > 1) {
      const [lowest = ''] = [...left].toSorted((one, other) => balance(one) - balance(other))
      left.delete(lowest)
      for (const other of left) upward.push(...between(lowest, other))
    }
  }
  return upward
}

/** How many production files each folder has, the largest number first. */
export function folderSizes(imports: Imports): [folder: string, files: number][] {
  const sizes = new Map<string, number>()
  for (const file of imports.keys()) sizes.set(folderOf(file), (sizes.get(folderOf(file)) ?? 0) + 1)
  return [...sizes].toSorted(([, one], [, other]) => other - one)
}

/** Prints the figures; true when all bounds hold. */
export function report(imports: Imports, print: (line: string) => void): boolean {
  const circles = circlesOf(imports)
  const across = circles.filter((circle) => new Set(circle.map(folderOf)).size > 1)
  const upward = arrowsUpward(imports)
  const [[largest, size] = ['', 0], ...others] = folderSizes(imports)
  const tooLarge = others.filter(([, files]) => files > bounds.filesInAFolder)
  print(`import circles: ${circles.length} (at most ${bounds.circles}), across folders: ${across.length}`)
  for (const circle of circles) print(`  ${circle.join(' ')}`)
  print(`arrows upward between folders: ${upward.length} (at most ${bounds.arrowsUpward})`)
  for (const arrow of upward) print(`  ${arrow}`)
  print(`most production files in a folder: ${size}, ${largest} (at most ${bounds.filesInAFolder})`)
  for (const [folder, files] of tooLarge) print(`  ${files} ${folder}`)
  return (
    circles.length <= bounds.circles &&
    across.length <= bounds.circlesAcrossFolders &&
    upward.length <= bounds.arrowsUpward &&
    size <= bounds.filesInAFolder
  )
}

if (process.argv[1] === import.meta.filename) {
  const isSound = report(readImports(import.meta.dirname), (line) => void process.stdout.write(`${line}\n`))
  if (!isSound) process.exitCode = 1
}
