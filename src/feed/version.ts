/**
 * Versions of the frames. Each end lists in its first frame the versions that it supports, and both use the
 * newest common one. The handshake before it never changes.
 *
 * The rule for a change: a release supports every frame of the previous release, and the other way round. New
 * fields and new kinds of frames need no new version when an older end may ignore them; a new version is
 * needed when a frame must be answered. Version 1 is that of 0.1.0.
 */

export interface FeedVersions {
  newest: number
  oldest: number
}

export const ourVersions: Readonly<FeedVersions> = { newest: 1, oldest: 1 }

/** The newest version that both ends support; null: there is none. */
export function sharedVersion(ours: FeedVersions, theirs: FeedVersions): number | null {
  const newest = Math.min(ours.newest, theirs.newest)
  return newest >= Math.max(ours.oldest, theirs.oldest) ? newest : null
}

/** The sentence for the operator when two ends have no common version. */
export const versionsDiffer = (ours: FeedVersions, theirs: FeedVersions) =>
  `the other end of the feed speaks versions ${theirs.oldest} to ${theirs.newest} of it, this end ${ours.oldest} to ${ours.newest}: upgrade the older one`
