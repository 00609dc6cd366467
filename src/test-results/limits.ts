/** Of a report once it is unpacked. */
export const UNPACKED_MAX = 64 * 1024 * 1024
export const CASES_MAX = 200_000
export const DEPTH_MAX = 64
export const ATTRIBUTES_MAX = 200
/** Characters that are read before others get their turn: a few milliseconds of work. */
export const SLICE = 16 * 1024
/** Characters of an element's text: its start, and its end. */
export const TEXT_HEAD = 16 * 1024
export const TEXT_TAIL = 4 * 1024
export const NAME_MAX = 1000
export const MESSAGE_MAX = 1000
export const DETAILS_MAX = 16 * 1024
/** A test of a JSON report with all of its entries. */
export const JSON_ITEM_MAX = 4 * 1024 * 1024
