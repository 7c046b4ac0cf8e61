/** The sections of the documentation, for links to them. */
import { guide } from './guide.ts'

export const docsAnchors = guide.flatMap(({ sections }) => sections.map(({ id, title }) => ({ id, title })))
