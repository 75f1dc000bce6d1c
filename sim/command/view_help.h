/* The words of the viewer's help that the command has too, which starts it. */
#ifndef BS_VIEW_HELP_H
#define BS_VIEW_HELP_H

extern const char bs_view_summary[];
extern const char bs_view_usage[];
extern const char bs_view_about[];
extern const char bs_view_examples[];

#endif
