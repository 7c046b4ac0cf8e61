/** A person's data: its export, and its erasure. README.md lists how each kind of data is treated. */
export {
  type Erasure,
  type ErasureDeps,
  type ErasurePreview,
  erasePerson,
  finishErasure,
  finishErasureTask,
  type Left,
  previewErasure,
  type Seen,
} from './erase.ts'
export { exportName, exportPerson } from './export.ts'
