/** The key of the brands below; it exists for the compiler only, ids are plain numbers at run time. */
export declare const ID_OF: unique symbol;

/**
 * What a prefix maps to: an integer from 1 to 2^31 - 1 that the caller chooses, such as an index into a list of labels;
 * 0 means "none". Any number can be given as one (it is checked at run time); a match id cannot, so that the two are not
 * confused.
 */
export type ValueId = number & { readonly [ID_OF]?: "value" };
