#pragma once
#include <QByteArray>
#include <QList>

namespace cutaway::views {

/// WOFF 1 of a font file in which only the outlines of the given letters are kept (others blanked; glyph ids
/// unchanged).
QByteArray woffSubset(const QByteArray& sfnt, const QList<uint>& glyphs);

} // namespace cutaway::views
