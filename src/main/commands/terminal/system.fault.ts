/** Refusals of the operating system that the operator can do something about, as sentences. */

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'the user that this command runs as may not do that',
  EPERM: 'the user that this command runs as may not do that',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it is there already',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
  EDQUOT: 'the quota of the disk is used up',
  EMFILE: 'too many files are open',
}

/** What the system refused, and of which path; null: the error is something else, such as a bug. */
export function systemSentence(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return null
  const { code, path } = error
  const reason = typeof code === 'string' ? reasons[code] : undefined
  if (reason === undefined || typeof path !== 'string') return null
  const isOther = code === 'EACCES' || code === 'EPERM'
  const hint = isOther ? ' An installed turnpike runs as the user turnpike: name a path of that user.' : ''
  return `${path}: ${reason} (${String(code)}).${hint}`
}
