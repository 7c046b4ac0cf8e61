/**
 * Versions of the frames. Each end lists in its first frame the versions that it supports, and both use the
 * newest common one. An end without that frame supports version 1, whose releases ignore it. The handshake
 * before it never changes.
 *
 * The rule for a change: a release supports every frame of the previous release, and the other way round. New
 * fields and new kinds of frames need no new version when an older end may ignore them; a new version is
 * needed when a frame must be answered.
 *
 * | version | adds |
 * |---|---|
 * | 1 | calls, answers, events |
 * | 2 | hello, ping and pong, state, and `away` in a fault |
 */

export interface FeedVersions {
  newest: number
  oldest: number
}

export const ourVersions: Readonly<FeedVersions> = { newest: 2, oldest: 1 }
/** From this version on pings are answered and the server reports its state. */
export const VERSION_WITH_STATE = 2

/** The newest version that both ends support; null: there is none. */
export function sharedVersion(ours: FeedVersions, theirs: FeedVersions): number | null {
  const newest = Math.min(ours.newest, theirs.newest)
  return newest >= Math.max(ours.oldest, theirs.oldest) ? newest : null
}

/** The sentence for the operator when two ends have no common version. */
export const versionsDiffer = (ours: FeedVersions, theirs: FeedVersions) =>
  `the other end of the feed speaks versions ${theirs.oldest} to ${theirs.newest} of it, this end ${ours.oldest} to ${ours.newest}: upgrade the older one`
